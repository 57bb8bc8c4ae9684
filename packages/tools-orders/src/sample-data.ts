import type { NewOrder, StockItem } from "./order.js";

/** One order in each state, and more to search through. */
export const sampleOrders: readonly NewOrder[] = [
  {
    orderId: "A",
    customer: "Ada Winter",
    status: "processing",
    placedAt: "2026-01-12T09:15:00.000Z",
    deliveryDays: 2,
    address: { street: "Baumana 12", apartment: "7", city: "Kazan", postalCode: "420111", country: "RU" },
  },
  {
    orderId: "B",
    customer: "Boris Petrov",
    status: "processing",
    placedAt: "2026-01-11T16:40:00.000Z",
    deliveryDays: 5,
    address: { street: "Navagio 3", city: "Zakynthos", postalCode: "29100", country: "GR" },
  },
  {
    orderId: "C",
    customer: "Ada Winter",
    status: "shipped",
    placedAt: "2026-01-09T11:05:00.000Z",
    deliveryDays: 1,
    address: { street: "Baumana 12", apartment: "7", city: "Kazan", postalCode: "420111", country: "RU" },
  },
  {
    orderId: "D",
    customer: "Dana Smith",
    status: "delivered",
    placedAt: "2026-01-05T08:30:00.000Z",
    deliveryDays: 0,
    address: { street: "Sackville Street 1", city: "Manchester", postalCode: "M1 3WE", country: "GB" },
  },
  {
    orderId: "E",
    customer: "Emil Novak",
    status: "cancelled",
    placedAt: "2026-01-04T19:20:00.000Z",
    deliveryDays: 3,
    address: { street: "Church Street 40", city: "White Sulphur Springs", postalCode: "24986", country: "US" },
  },
  {
    orderId: "F",
    customer: "Éva Kovács",
    status: "processing",
    placedAt: "2026-01-12T14:00:00.000Z",
    deliveryDays: 4,
    address: { street: "Váci utca 8", city: "Budapest", postalCode: "1056", country: "HU" },
  },
];

/** BOOK-2 is sold out. */
export const sampleStock: readonly StockItem[] = [
  { sku: "BOOK-1", title: "Structure and Interpretation of Computer Programs", count: 12 },
  { sku: "BOOK-2", title: "The Art of Computer Programming", count: 0 },
  { sku: "MUG-1", title: "Mug, blue", count: 140 },
  { sku: "PEN-1", title: "Fountain pen", count: 3 },
];
