import { IsBoolean, IsNotEmpty, IsOptional, IsString } from "class-validator";

/** What an app may set for this package in the registry's allow-list. */
export class OrdersConfig {
  /** A file of the app's, or `":memory:"`. Default `":memory:"`. */
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  path?: string | undefined;

  /** Puts samples into an empty database. Default: true in memory, false in a file. */
  @IsOptional()
  @IsBoolean()
  sampleData?: boolean | undefined;
}
