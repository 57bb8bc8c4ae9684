import { readFileSync } from "node:fs";

/**
 * Counts the tests in a JSON report of vitest. A file that did not load, and a run that failed outside of any test,
 * count as one failure each.
 * @param code the exit code of the run
 */
export function countTests(reportFile, code) {
  const report = read(reportFile);
  if (report === undefined) return { passed: 0, failed: 1, remarks: [`The test runner left no report (exit code ${code}).`] };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const remarks = brokenFiles.map((file) => `Failed outside of its tests: ${file.name}`);
  const notRun = report.numPendingTests + report.numTodoTests;
  if (notRun > 0) remarks.push(`${notRun} not run.`);
  if (report.numTotalTests === 0) remarks.push("No test was found.");
  let failed = report.numFailedTests + brokenFiles.length;
  if (failed === 0 && code !== 0) {
    remarks.push(`The run failed outside of any test (exit code ${code}): see above.`);
    failed = 1;
  }
  return { passed: report.numPassedTests, failed, remarks };
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
