import type { JsonObject, JsonValue } from "../contracts/json.js";
import type { DecodePlan, Issue, SchemaNode } from "../contracts/schema.js";
import { compileUnion } from "./check-union.js";
import { dottedPath } from "./issue-text.js";
import type { SchemaScope } from "./schema-scope.js";

/** Where a DTO belongs in the copy. */
export interface DtoSite {
  readonly path: readonly (string | number)[];
  /** Key into the registered classes. */
  readonly dto: string;
  /** The checked arguments of this object. */
  readonly json: JsonObject;
  /** Properties that the class may lack. */
  readonly optional: readonly string[];
}

/** Checked arguments as a copy that a tool may change, Dates in place, and the places that DTOs belong to, outer ones first. */
export interface DecodedCopy {
  readonly value: unknown;
  readonly sites: readonly DtoSite[];
  readonly issues: readonly Issue[];
}

const hasOwn = Object.prototype.hasOwnProperty;

/** A copy without shared parts: the checked arguments are frozen, and methods sort and fill what they are given. */
export function mutableCopy(json: JsonValue): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (isArray(json)) return json.map(mutableCopy);
  const copy: Record<string, unknown> = {};
  for (const key in json) {
    if (!hasOwn.call(json, key)) continue;
    const value = json[key] as JsonValue;
    copy[key] = typeof value === "object" ? mutableCopy(value) : value;
  }
  return copy;
}

/** Copies checked arguments along the decode plan. */
export function copyDecoded(scope: SchemaScope, checked: JsonObject): DecodedCopy {
  const copier = new Copier(scope);
  const value = copier.copy(checked, scope.schema, scope.plan, []);
  return { value, sites: copier.sites, issues: copier.issues };
}

class Copier {
  readonly sites: DtoSite[] = [];
  readonly issues: Issue[] = [];

  constructor(private readonly scope: SchemaScope) {}

  copy(json: JsonValue, node: SchemaNode | undefined, plan: DecodePlan | undefined, path: DtoSite["path"]): unknown {
    if (plan === undefined || node === undefined || json === null) return mutableCopy(json);
    if (node.$ref !== undefined) return this.copy(json, this.scope.resolve(node.$ref), this.scope.follow(plan), path);
    if (node.anyOf !== undefined) {
      const index = compileUnion(this.scope, node, plan).branch(json);
      return this.copy(json, node.anyOf[index], plan.anyOf?.[index] ?? undefined, path);
    }
    if (typeof json === "string") return plan.date === true ? this.date(json, path) : json;
    if (typeof json !== "object") return json;
    if (isArray(json)) return json.map((item, index) => this.copy(item, node.items, plan.items, [...path, index]));
    return this.object(json, node, plan, path);
  }

  private object(json: JsonObject, node: SchemaNode, plan: DecodePlan, path: DtoSite["path"]): unknown {
    if (plan.dto !== undefined) this.sites.push({ path, dto: plan.dto, json, optional: plan.optional ?? [] });
    const copy: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(json)) {
      const inner = plan.properties !== undefined && Object.hasOwn(plan.properties, name) ? plan.properties[name] : undefined;
      copy[name] = this.copy(value, node.properties?.[name], inner, [...path, name]);
    }
    return copy;
  }

  private date(text: string, path: DtoSite["path"]): Date {
    const date = new Date(isoText(text));
    if (Number.isNaN(date.getTime())) {
      this.issues.push({
        path: dottedPath(path.map(String)),
        expected: "a date and time without a leap second",
        received: "one that a Date can not hold",
      });
    }
    return date;
  }
}

/** RFC 3339 lets in more than the text form that every engine's Date reads alike. */
function isoText(text: string): string {
  const [, date, time, sign, hours, minutes] = /^(.{10})[Tt ]([^Zz+-]+)(?:[Zz]|([+-])(\d\d):?(\d\d)?)$/.exec(text) ?? [];
  if (date === undefined || time === undefined) return text;
  return `${date}T${time}${sign === undefined ? "Z" : `${sign}${hours ?? "00"}:${minutes ?? "00"}`}`;
}

// Array.isArray does not narrow readonly arrays.
function isArray(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json);
}
