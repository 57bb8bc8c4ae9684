import { defineConfig } from "vitest/config";

// Tests of minutes are apart: `pnpm test:long`.
const long = process.env.TOOLWRIGHT_LONG_TESTS === "1";

export default defineConfig({
  test: {
    include: long ? ["test/long/**/*.test.ts"] : ["packages/*/src/**/*.test.ts", "test/**/*.test.ts", "examples/src/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "**/fixtures/**", ...(long ? [] : ["test/long/**"])],
    testTimeout: long ? 600_000 : 20_000,
    hookTimeout: long ? 600_000 : 60_000,
    allowOnly: false,
    passWithNoTests: false,
    // A promise that nobody caught is a failure, whatever the tests say.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
