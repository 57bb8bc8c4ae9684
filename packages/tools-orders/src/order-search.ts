import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from "class-validator";
import type { OrderStatus } from "./order.js";

/** What orders to look for. Without a filter: all of them. */
export class OrderSearch {
  /** The customer's name or a part of it, in any case. */
  @IsOptional()
  @IsString()
  @Matches(/\S/)
  @MaxLength(100)
  customer?: string | undefined;

  /** Only orders in this state. */
  status?: OrderStatus | undefined;

  /** How many orders at most. */
  @IsInt()
  @Min(1)
  @Max(50)
  limit: number = 10;
}
