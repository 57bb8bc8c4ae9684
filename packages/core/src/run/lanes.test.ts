import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LaneKey, Lanes, type Ticket, type Turn } from "./lanes.js";

const turnOf = async (ticket: Ticket): Promise<Turn> => ticket.turn();

const read = (...keys: readonly string[]): readonly LaneKey[] => keys.map((key) => ({ key, mode: "read" }));
const write = (...keys: readonly string[]): readonly LaneKey[] => keys.map((key) => ({ key, mode: "write" }));

/** Tickets in their order, each asked for its turn; says how it stands with each. */
async function queue(...keys: readonly (readonly LaneKey[])[]) {
  const lanes = new Lanes();
  const tickets = keys.map((each) => lanes.reserve(each));
  const turns: (Turn["kind"] | "waiting")[] = tickets.map(() => "waiting");
  tickets.forEach((ticket, index) => void turnOf(ticket).then(({ kind }) => (turns[index] = kind)));
  const now = async () => {
    await Promise.resolve();
    await Promise.resolve();
    return [...turns];
  };
  return { lanes, tickets: tickets as [Ticket, Ticket, Ticket], now };
}

describe("lanes", () => {
  it("readers share a key", async () => {
    const { now } = await queue(read("a"), read("a"), read("a"));
    expect(await now()).toEqual(["granted", "granted", "granted"]);
  });

  it("a writer has its key alone, in the order of arrival", async () => {
    const { tickets, now } = await queue(write("a"), write("a"), write("a"));
    expect(await now()).toEqual(["granted", "waiting", "waiting"]);
    tickets[0].release();
    expect(await now()).toEqual(["granted", "granted", "waiting"]);
    tickets[1].release();
    expect(await now()).toEqual(["granted", "granted", "granted"]);
  });

  it("a reader does not pass a writer that came before it", async () => {
    const { tickets, now } = await queue(read("a"), write("a"), read("a"));
    expect(await now()).toEqual(["granted", "waiting", "waiting"]);
    tickets[0].release();
    expect(await now()).toEqual(["granted", "granted", "waiting"]);
    tickets[1].release();
    expect(await now()).toEqual(["granted", "granted", "granted"]);
  });

  it("different keys do not wait for each other", async () => {
    const { now } = await queue(write("a"), write("b"), write("c"));
    expect(await now()).toEqual(["granted", "granted", "granted"]);
  });

  it("a ticket for several keys waits for all of them, and two that cross do not lock each other", async () => {
    const { tickets, now } = await queue(write("a", "b"), write("b", "a"), write("b"));
    expect(await now()).toEqual(["granted", "waiting", "waiting"]);
    tickets[0].release();
    expect(await now()).toEqual(["granted", "granted", "waiting"]);
    tickets[1].release();
    expect(await now()).toEqual(["granted", "granted", "granted"]);
  });

  it("a key named twice, once to write, is held to write", async () => {
    const { now } = await queue([...read("a"), ...write("a")], read("a"));
    expect(await now()).toEqual(["granted", "waiting"]);
  });

  it("releasing twice releases once", async () => {
    const { tickets, now } = await queue(write("a"), write("a"), write("a"));
    tickets[0].release();
    tickets[0].release();
    expect(await now()).toEqual(["granted", "granted", "waiting"]);
  });

  it("who waits behind an orphan is told why, and so is who comes later, until it ends", async () => {
    const { lanes, tickets, now } = await queue(write("a"), write("a"));
    tickets[0].orphan("it has not ended.");
    expect(await now()).toEqual(["granted", "blocked"]);
    tickets[1].release();
    const later = lanes.reserve(read("a"));
    expect(await later.turn()).toEqual({ kind: "blocked", reason: "it has not ended." });
    later.release();
    tickets[0].release();
    expect(await lanes.reserve(write("a")).turn()).toEqual({ kind: "granted" });
  });

  it("an orphan of a reader blocks writers, not readers", async () => {
    const { tickets, now } = await queue(read("a"), read("a"), write("a"));
    tickets[0].orphan("it has not ended.");
    expect(await now()).toEqual(["granted", "granted", "blocked"]);
  });

  it("who waits behind a paused one is paused, and so is who waits behind that", async () => {
    const { tickets, now } = await queue(write("a"), write("a", "b"), write("b"));
    tickets[0].pause();
    expect(await now()).toEqual(["granted", "paused", "waiting"]);
    tickets[1].pause();
    expect(await now()).toEqual(["granted", "paused", "paused"]);
  });

  it("a ticket may be asked again while it is held", async () => {
    const { tickets } = await queue(write("a"), write("a"));
    expect(await tickets[0].turn()).toEqual({ kind: "granted" });
  });

  it("a ticket that was let go and is asked again waits behind those that came since", async () => {
    const { tickets, now } = await queue(write("a"), write("a"));
    tickets[0].release();
    expect(await now()).toEqual(["granted", "granted"]);
    let again: Turn["kind"] | "waiting" = "waiting";
    void turnOf(tickets[0]).then(({ kind }) => (again = kind));
    await now();
    expect(again).toBe("waiting");
    tickets[1].release();
    await now();
    expect(again).toBe("granted");
  });

  it("whatever is asked for, all get their turn, and no two get what they may not share", async () => {
    const key = fc.constantFrom("a", "b", "c");
    const wanted = fc.array(fc.record({ key, mode: fc.constantFrom("read", "write") }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 8 }), async (list) => {
        const lanes = new Lanes();
        const holding = new Set<readonly LaneKey[]>();
        const writes = (keys: readonly LaneKey[], name: string) => keys.some((each) => each.key === name && each.mode === "write");
        const work = async (keys: readonly LaneKey[], ticket: Ticket) => {
          await ticket.turn();
          for (const other of holding)
            for (const { key: name } of keys)
              if (other.some((each) => each.key === name)) expect(writes(keys, name) || writes(other, name)).toBe(false);
          holding.add(keys);
          await Promise.resolve();
          holding.delete(keys);
          ticket.release();
        };
        await Promise.all(list.map((keys) => [keys, lanes.reserve(keys)] as const).map(([keys, ticket]) => work(keys, ticket)));
      }),
      { numRuns: 200 },
    );
  });
});
