// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: d26f789cfc184103457d08ec9c05c3a4eccc253d98bcc08a0c50e001e85219cb
import { registerToolkit } from "@toolwright/core/generated";
import { Address } from "./address.js";
import { OrderSearch } from "./order-search.js";
import { OrderTools as OrderTools_ } from "./order-tools.js";

export const OrderTools = registerToolkit(OrderTools_, {
  "format": 1,
  "className": "OrderTools",
  "package": "@toolwright/tools-orders",
  "tools": [
    {
      "name": "get_delivery",
      "method": "getDelivery",
      "description": "Tells in how many days an order arrives. Use it for questions about when a delivery comes.",
      "effect": "read",
      "resource": ["order:{orderId}"],
      "echo": ["orderId"],
      "parameters": {
        "type": "object",
        "properties": {
          "orderId": { "type": "string", "description": "Id of the order, exactly as the customer or a search gives it, e.g. A" }
        },
        "required": ["orderId"],
        "additionalProperties": false
      },
      "call": [{ "argument": "orderId" }, { "context": true }]
    },
    {
      "name": "get_stock",
      "method": "getStock",
      "description": "Tells how many pieces of an article are in stock. `found` is false for an article that does not exist; a count of 0 means that it is sold out.",
      "effect": "read",
      "echo": ["sku"],
      "parameters": {
        "type": "object",
        "properties": { "sku": { "type": "string", "description": "Stock-keeping unit of the article, exact, e.g. BOOK-1" } },
        "required": ["sku"],
        "additionalProperties": false
      },
      "call": [{ "argument": "sku" }, { "context": true }]
    },
    {
      "name": "search_orders",
      "method": "searchOrders",
      "description": "Finds orders by customer and state, newest first. Use it when the id of an order is not known.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "description": "What orders to look for. Without a filter: all of them.",
        "properties": {
          "customer": {
            "type": ["string", "null"],
            "description": "The customer's name or a part of it, in any case. At most 100 characters.",
            "pattern": "\\S"
          },
          "status": {
            "type": ["string", "null"],
            "description": "Only orders in this state.",
            "enum": ["processing", "shipped", "delivered", "cancelled", null]
          },
          "limit": {
            "type": ["integer", "null"],
            "description": "How many orders at most. Default: 10.",
            "minimum": 1,
            "maximum": 50
          }
        },
        "required": ["customer", "status", "limit"],
        "additionalProperties": false
      },
      "decode": { "optional": ["customer", "status", "limit"], "dto": "OrderSearch" },
      "call": [{ "arguments": true }, { "context": true }]
    },
    {
      "name": "cancel_order",
      "method": "cancelOrder",
      "description": "Cancels an order that is still being processed. Use it only when the customer asks for it.",
      "effect": "destructive",
      "resource": ["order:{orderId}"],
      "idempotent": true,
      "query": {
        "method": "queryCancelOrder",
        "call": [{ "argument": "orderId" }, { "argument": "reason" }, { "context": true }]
      },
      "compensate": {
        "method": "reopenOrder",
        "call": [{ "argument": "orderId" }, { "argument": "reason" }, { "outcome": true }, { "context": true }]
      },
      "echo": ["orderId"],
      "parameters": {
        "type": "object",
        "properties": {
          "orderId": { "type": "string", "description": "Id of the order, exact, e.g. A" },
          "reason": { "type": ["string", "null"], "description": "Why the customer cancels, in a few words" }
        },
        "required": ["orderId", "reason"],
        "additionalProperties": false
      },
      "decode": { "optional": ["reason"] },
      "call": [{ "argument": "orderId" }, { "argument": "reason" }, { "context": true }]
    },
    {
      "name": "change_address",
      "method": "changeAddress",
      "description": "Changes the address that an order goes to, as long as it is still being processed.",
      "effect": "write",
      "resource": ["order:{orderId}"],
      "idempotent": true,
      "query": {
        "method": "queryChangeAddress",
        "call": [{ "argument": "orderId" }, { "argument": "address" }, { "context": true }]
      },
      "compensate": {
        "method": "restoreAddress",
        "call": [{ "argument": "orderId" }, { "argument": "address" }, { "outcome": true }, { "context": true }]
      },
      "echo": ["orderId"],
      "parameters": {
        "type": "object",
        "properties": {
          "orderId": { "type": "string", "description": "Id of the order, exact, e.g. A" },
          "address": {
            "type": "object",
            "description": "The whole new address",
            "properties": {
              "street": {
                "type": "string",
                "description": "Street and house number, e.g. Baumana 12. At most 200 characters.",
                "pattern": "\\S"
              },
              "apartment": {
                "type": ["string", "null"],
                "description": "Apartment, floor or company, if there is one. At most 100 characters.",
                "pattern": "\\S"
              },
              "city": { "type": "string", "description": "City or town. At most 100 characters.", "pattern": "\\S" },
              "postalCode": {
                "type": "string",
                "description": "Postal code as it is written in that country, e.g. 420111. At most 20 characters.",
                "pattern": "\\S"
              },
              "country": {
                "type": "string",
                "description": "Country as two capital letters, e.g. DE. A country code of two letters (ISO 3166-1).",
                "pattern": "^[A-Z]{2}$"
              }
            },
            "required": ["street", "apartment", "city", "postalCode", "country"],
            "additionalProperties": false
          }
        },
        "required": ["orderId", "address"],
        "additionalProperties": false
      },
      "decode": { "properties": { "address": { "optional": ["apartment"], "dto": "Address" } } },
      "call": [{ "argument": "orderId" }, { "argument": "address" }, { "context": true }]
    }
  ]
}, { methods: ["getDelivery", "getStock", "searchOrders", "cancelOrder", "changeAddress"], classes: { Address, OrderSearch } });
export type OrderTools = InstanceType<typeof OrderTools>;
