/** The body that the API answers a wrong request with. */
export interface ApiErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly param: string | null; readonly code: string | null };
}

/** A refusal of the stand-in server: status and body as the real API would answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly type: string;

  constructor(
    message: string,
    options: { readonly status?: number; readonly param?: string | null; readonly code?: string | null; readonly type?: string } = {},
  ) {
    super(message);
    this.status = options.status ?? 400;
    this.param = options.param ?? null;
    this.code = options.code ?? null;
    this.type = options.type ?? "invalid_request_error";
  }

  body(): ApiErrorBody {
    return { error: { message: this.message, type: this.type, param: this.param, code: this.code } };
  }
}

/** `a string`, `null`, `an object`: a value's type in the API's words. */
function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

export const unknownParameter = (param: string): ApiError =>
  new ApiError(`Unknown parameter: '${param}'.`, { param, code: "unknown_parameter" });

export const missingParameter = (param: string): ApiError =>
  new ApiError(`Missing required parameter: '${param}'.`, { param, code: "missing_required_parameter" });

export const invalidType = (param: string, expected: string, value: unknown): ApiError =>
  new ApiError(`Invalid type for '${param}': expected ${expected}, but got ${describeType(value)} instead.`, {
    param,
    code: "invalid_type",
  });

export const invalidValue = (param: string, value: unknown, supported: readonly string[]): ApiError => {
  const quoted = supported.map((entry) => `'${entry}'`);
  const list =
    quoted.length === 2
      ? quoted.join(" and ")
      : quoted.map((entry, index) => (index > 0 && index === quoted.length - 1 ? `and ${entry}` : entry)).join(", ");
  return new ApiError(`Invalid value: '${String(value)}'. Supported values are: ${list}.`, { param, code: "invalid_value" });
};

export const emptyString = (param: string): ApiError =>
  new ApiError(`Invalid '${param}': empty string. Expected a string with minimum length 1, but got an empty string instead.`, {
    param,
    code: "empty_string",
  });

export const tooLong = (param: string, limit: number, length: number): ApiError =>
  new ApiError(
    `Invalid '${param}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`,
    {
      param,
      code: "string_above_max_length",
    },
  );
