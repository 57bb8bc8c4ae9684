import { describe, expect, it } from "vitest";
import { callsOf, converse, tool } from "../test-support/converse.js";
import { planOffline } from "./offline-planner.js";
import type { PlannedCall } from "./plan.js";

const weatherTool = tool("get_weather", "city");
const forecastTool = tool("get_forecast", "city", "days");
const calculatorTool = tool("calculate", "expression");
const allTools = [weatherTool, forecastTool, calculatorTool];

const temperatures: Record<string, number> = { Kazan: 12, Sochi: 21, Reykjavik: -2 };
const conversions: Record<string, number> = {
  "12 * 9 / 5 + 32": 53.6,
  "21 * 9 / 5 + 32": 69.8,
  "-2 * 9 / 5 + 32": 28.4,
  "(3 + 4) * 12": 84,
  "(100 - 32) * 5 / 9": 37.7777777778,
};
function world({ name, arguments: given }: PlannedCall): unknown {
  if (name === "calculate")
    return conversions[String(given["expression"])] ?? { error: { code: "X", message: "not in this test", retryable: false } };
  const city = String(given["city"]);
  const temperatureC = temperatures[city];
  if (temperatureC === undefined) return { city, found: false, temperatureC: null, condition: null, days: null };
  if (name === "get_weather") return { city, found: true, temperatureC, condition: "cloudy" };
  return { city, found: true, days: [{ date: "2026-11-30", minC: temperatureC - 9, maxC: temperatureC, condition: "clear" }] };
}

const ask = (question: string, tools = allTools) => converse(question, world, tools);
const answerTo = (question: string, tools = allTools) => ask(question, tools).at(-1);

const failing = () => ({
  error: { code: "WEATHER_TIMEOUT", message: "The weather service did not answer within 10000 ms.", retryable: true },
});

describe("planOffline", () => {
  it("looks up the weather, converts what the tool said, and answers with both", () => {
    const replies = ask("What is the weather in Kazan, and what is that in Fahrenheit?");
    expect(callsOf(replies[0])).toEqual([{ name: "get_weather", arguments: { city: "Kazan" } }]);
    expect(callsOf(replies[1])).toEqual([{ name: "calculate", arguments: { expression: "12 * 9 / 5 + 32" } }]);
    expect(replies[2]).toEqual({ kind: "text", text: "Kazan: +12 °C (53.6 °F), cloudy." });
    expect(replies).toHaveLength(3);
  });

  it("takes the numbers from the outputs, not from what it knows", () => {
    const replies = converse(
      "What is the weather in Kazan, and what is that in Fahrenheit?",
      ({ name }) => (name === "calculate" ? 14 : { city: "Kazan", found: true, temperatureC: -10, condition: "snow" }),
      allTools,
    );
    expect(callsOf(replies[1])).toEqual([{ name: "calculate", arguments: { expression: "-10 * 9 / 5 + 32" } }]);
    expect(replies[2]).toEqual({ kind: "text", text: "Kazan: −10 °C (14 °F), snow." });
  });

  it("asks for several cities in one step", () => {
    const replies = ask("What's the weather in Kazan, Sochi and Reykjavik in Fahrenheit?");
    expect(callsOf(replies[0])?.map((call) => call.arguments)).toEqual([{ city: "Kazan" }, { city: "Sochi" }, { city: "Reykjavik" }]);
    expect(callsOf(replies[1])).toHaveLength(3);
    expect(replies[2]).toEqual({
      kind: "text",
      text: "Kazan: +12 °C (53.6 °F), cloudy.\nSochi: +21 °C (69.8 °F), cloudy.\nReykjavik: −2 °C (28.4 °F), cloudy.",
    });
  });

  it.each([
    ["Weather in Kazan and in Sochi?", ["Kazan", "Sochi"]],
    ["Is it warmer in Kazan than in Sochi?", ["Kazan", "Sochi"]],
    ["How warm is it in St. Petersburg today?", ["St. Petersburg"]],
    ["kazan weather", ["kazan"]],
    ["Weather: Rio de Janeiro", ["Rio de Janeiro"]],
    ["What is the temperature in the city of Kazan right now?", ["Kazan"]],
    ["Hello! Please tell me the weather in New York. In Fahrenheit, please.", ["New York"]],
    ["What is the weather in Kazan? And in Sochi?", ["Kazan", "Sochi"]],
    ["What is the weather in São Paulo, Zürich, or Kazan?", ["São Paulo", "Zürich", "Kazan"]],
  ])("finds the cities of %j", (question, cities) => {
    expect(callsOf(ask(question)[0])).toEqual(cities.map((city) => ({ name: "get_weather", arguments: { city } })));
  });

  it.each([
    ["Forecast for Kazan", null],
    ["What is the forecast for Kazan for the next 5 days?", 5],
    ["Will it rain in Kazan tomorrow?", 2],
    ["What will the weather be like in Kazan this week?", 7],
  ])("asks for a forecast: %j", (question, days) => {
    expect(callsOf(ask(question)[0])).toEqual([{ name: "get_forecast", arguments: { city: "Kazan", days } }]);
  });

  it("answers a forecast day by day", () => {
    expect(answerTo("Forecast for Kazan")).toEqual({ kind: "text", text: "Forecast for Kazan:\n  2026-11-30: +3 °C to +12 °C, clear" });
  });

  it.each([
    ["What is (3 + 4) * 12?", "(3 + 4) * 12"],
    ["Calculate 3 plus 4 times 12", "3 + 4 * 12"],
    ["how much is 2 × 3 ÷ 4?", "2 * 3 / 4"],
    ["12 * 9 / 5 + 32 =", "12 * 9 / 5 + 32"],
    ["What is 2 to the power of 10?", "2 ** 10"],
  ])("leaves the sum %j to the calculator", (question, expression) => {
    expect(callsOf(ask(question)[0])).toEqual([{ name: "calculate", arguments: { expression } }]);
  });

  it("answers a sum and a conversion with what the calculator said", () => {
    expect(answerTo("What is (3 + 4) * 12?")).toEqual({ kind: "text", text: "(3 + 4) * 12 = 84." });
    expect(answerTo("What is 12 °C in Fahrenheit?")).toEqual({ kind: "text", text: "12 °C is 53.6 °F." });
    expect(answerTo("Convert 100 degrees Fahrenheit to Celsius")).toEqual({ kind: "text", text: "100 °F is 37.7777777778 °C." });
  });

  it("says that a city was not found, and answers for the others", () => {
    expect(answerTo("What is the weather in Kazan and Atlantis, in Fahrenheit?")).toEqual({
      kind: "text",
      text: "Kazan: +12 °C (53.6 °F), cloudy.\nAtlantis was not found.",
    });
  });

  it("tells a tool's failure", () => {
    expect(converse("Weather in Kazan?", failing, allTools).at(-1)).toEqual({
      kind: "text",
      text: "The weather in Kazan could not be looked up: The weather service did not answer within 10000 ms.",
    });
    expect(converse("What is 1 / 0?", failing, allTools).at(-1)).toMatchObject({
      text: expect.stringMatching(/^That could not be calculated: /),
    });
  });

  it("calls only tools that it was sent", () => {
    expect(ask("What is the weather in Kazan?", [calculatorTool])).toEqual([
      { kind: "text", text: "I can't do that: there is no tool get_weather to call." },
    ]);
    expect(ask("What is 1 + 1?", [weatherTool])).toEqual([
      { kind: "text", text: "I can't calculate that: there is no tool calculate to call." },
    ]);
    expect(answerTo("What is the weather in Kazan in Fahrenheit?", [weatherTool])).toEqual({
      kind: "text",
      text: "Kazan: +12 °C (not converted to Fahrenheit), cloudy.",
    });
  });

  it("calls nothing when the request forbids it, and answers from what it has", () => {
    const request = { question: "What is the weather in Kazan in Fahrenheit?", tools: allTools, toolChoice: "none" };
    expect(planOffline({ ...request, outputs: [] })).toEqual({
      kind: "text",
      text: "I can't do that: there is no tool get_weather to call.",
    });
    const value = { city: "Kazan", found: true, temperatureC: 12, condition: "cloudy" };
    const known = { callId: "call_0", name: "get_weather", arguments: { city: "Kazan" }, text: "", value, step: 0 };
    expect(planOffline({ ...request, outputs: [known] })).toEqual({
      kind: "text",
      text: "Kazan: +12 °C (not converted to Fahrenheit), cloudy.",
    });
  });

  it.each(["Who wrote War and Peace?", "", "How many days are there in a week?"])("says that it can't answer %j", (question) => {
    expect(ask(question)).toEqual([{ kind: "text", text: "I can't answer that offline." }]);
  });
});
