import { IsISO31661Alpha2, IsOptional, IsString, Matches, MaxLength } from "class-validator";

/** A postal address. */
export class Address {
  /** Street and house number, e.g. Baumana 12. */
  @IsString()
  @Matches(/\S/)
  @MaxLength(200)
  street!: string;

  /** Apartment, floor or company, if there is one. */
  @IsOptional()
  @IsString()
  @Matches(/\S/)
  @MaxLength(100)
  apartment?: string | undefined;

  /** City or town. */
  @IsString()
  @Matches(/\S/)
  @MaxLength(100)
  city!: string;

  /** Postal code as it is written in that country, e.g. 420111. */
  @IsString()
  @Matches(/\S/)
  @MaxLength(20)
  postalCode!: string;

  /** Country as two capital letters, e.g. DE. */
  @Matches(/^[A-Z]{2}$/)
  @IsISO31661Alpha2()
  country!: string;
}

/** The fields of an address in one order, without those that are not there: equal addresses give equal JSON text. */
export function plainAddress({ street, apartment, city, postalCode, country }: Address): Address {
  return { street, ...(apartment !== undefined && { apartment }), city, postalCode, country };
}
