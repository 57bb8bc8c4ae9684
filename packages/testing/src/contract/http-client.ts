import type { ResponsesClient, ResponsesRequestOptions } from "@toolwright/core";

/** What the server said instead of a response, in the form in which an official client throws it. */
class HttpFailure extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly code: unknown;
  readonly type: unknown;
  readonly param: unknown;

  constructor(response: Response, body: string) {
    const { error = {} } = parsed(body);
    super(String(error["message"] ?? body));
    this.status = response.status;
    this.headers = response.headers;
    this.code = error["code"];
    this.type = error["type"];
    this.param = error["param"];
  }
}

/** The least that an agent needs to talk to a server, without any client package. */
export function httpClient(baseUrl: string): ResponsesClient {
  return {
    post(path, options) {
      const response = send(`${baseUrl}${path}`, options);
      // Whoever asks for the response alone does not look at the rest.
      response.catch(() => {});
      return {
        // oxlint-disable-next-line unicorn/no-thenable -- the official client's `post` gives such an object, and agents await it
        then: (resolve, reject) => response.then((answer) => answer.json() as Promise<unknown>).then(resolve, reject),
        asResponse: () => response,
      };
    },
  };
}

async function send(url: string, { body, headers, signal }: ResponsesRequestOptions): Promise<Response> {
  const response = await fetch(url, { method: "POST", body, headers: { ...headers, authorization: "Bearer test" }, signal });
  if (!response.ok) throw new HttpFailure(response, await response.text());
  return response;
}

function parsed(body: string): { readonly error?: Readonly<Record<string, unknown>> } {
  try {
    return JSON.parse(body) as { error?: Record<string, unknown> }; // the API's form of an error; fields are looked at one by one
  } catch {
    return {};
  }
}
