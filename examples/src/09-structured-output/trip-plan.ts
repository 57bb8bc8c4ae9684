import { Output } from "@toolwright/core";
import { IsInt, Matches, Min } from "class-validator";

/** One stop of a day. */
export class Stop {
  /** Name of the place. */
  place!: string;
  /** When to be there, e.g. 09:30. */
  @Matches(/^\d\d:\d\d$/)
  time!: string;
  /** How long to stay, in minutes. */
  @IsInt()
  @Min(15)
  minutes!: number;
}

/** One day of a trip. */
export class Day {
  /** Midnight of the day, in UTC. */
  date!: Date;
  /** In the order of the day. */
  stops!: Stop[];
}

/** A plan for a trip of a few days. */
@Output()
export class TripPlan {
  /** Where the trip goes. */
  city!: string;
  /** The days, in order. */
  days!: Day[];
  /** What is worth knowing beforehand. */
  hint?: string;

  /** An answer is an instance, so that it has methods. */
  get totalMinutes(): number {
    return this.days.flatMap(({ stops }) => stops).reduce((sum, { minutes }) => sum + minutes, 0);
  }
}
