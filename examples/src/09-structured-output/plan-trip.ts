import { type Planner, reply } from "@toolwright/testing";
import { readCities } from "../shared/read-cities.js";

/** The answers of the stand-in: one trip, to the city that is asked for, and one list of what to pack. */
export const planTrip: Planner = ({ question }) => {
  const answer = /pack/i.test(question) ? packing : { city: readCities(question)[0] ?? "Kazan", ...trip };
  return reply.text(JSON.stringify(answer)).with({ deltaSize: 12, eventDelayMs: 5 });
};

const trip = {
  days: [
    {
      date: "2026-06-01T00:00:00Z",
      stops: [
        { place: "Old town", time: "09:30", minutes: 120 },
        { place: "Museum of history", time: "12:00", minutes: 90 },
      ],
    },
    { date: "2026-06-02T00:00:00Z", stops: [{ place: "River walk", time: "10:00", minutes: 75 }] },
  ],
  hint: "Museums are closed on Mondays.",
};

const packing = {
  things: [
    { name: "umbrella", count: 1 },
    { name: "pair of shoes", count: 2 },
  ],
};
