import type { JsonObject } from "../../../../src/formats/json.ts";
import type { Endpoint } from "../../../../src/gateway/call/endpoint.ts";
import type { Builder, Special, SpecialValue } from "../requests/build.ts";
import type { Shape } from "../schema/shape.ts";

/** A client format as the generator needs it. */
export type Client = Readonly<{
  name: "chat" | "responses" | "messages" | "gemini" | "interactions";
  endpoint: Endpoint;
  /** The request's type, from the official client. */
  root: Shape;
  /** Members that aren't generated: what makes the request one, and what the gateway itself handles. */
  skipped: RegExp;
  special: Special;
  /** Makes the request a conversation that its API accepts: calls have results, choices name tools. */
  arrange(request: JsonObject, builder: Builder): void;
  /** Members that hold a turn's text, whose order must stay. */
  texts: RegExp;
  /** The model's place: in the body, or in the path. */
  path?(model: string): Readonly<{ model: string; stream: boolean }>;
}>;

/** Replaces the items of a request's list, which stays the same list: members of it are followed by it. */
export function setList(request: JsonObject, name: string, items: readonly unknown[]): void {
  const list = request[name];
  if (Array.isArray(list)) list.splice(0, list.length, ...items);
  else request[name] = [...items];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** JSON as text. */
export const jsonText: SpecialValue = (marker) => ({ value: JSON.stringify({ [marker]: "yes" }), marker });
/** A small JSON Schema of an object. */
export const jsonSchema: SpecialValue = (marker) => ({
  value: { type: "object", properties: { [marker]: { type: "string" } }, required: [marker] },
  marker,
});
/** Bytes. */
export const bytes: SpecialValue = (marker) => ({ value: base64(`bytes of ${marker}`), marker });
/** Bytes with their type in an address. */
export const dataUri =
  (type: string): SpecialValue =>
  (marker) => ({ value: `data:${type};base64,${base64(`bytes of ${marker}`)}`, marker });
/** An image's address, or the image in one. */
export const imageAddress: SpecialValue = (marker, random) =>
  random() < 0.5 ? dataUri("image/png")(marker, random) : { value: `https://example.org/${marker}.png`, marker };
export const address: SpecialValue = (marker) => ({ value: `https://example.org/${marker}`, marker });
/** One of the values, followed by whether it makes a difference. */
export const oneOf =
  (...values: readonly unknown[]): SpecialValue =>
  (_marker, random) => ({ value: values[Math.floor(random() * values.length)], marker: null });
/** A budget of tokens. */
export const budget: SpecialValue = (marker) => {
  const value = 2000 + Number(marker.replace(/\D/g, ""));
  return { value, marker: String(value), isAmount: true };
};
/** A number between 0.3 and 0.4. */
export const fraction: SpecialValue = (marker) => {
  const value = Number(`0.3${marker.replace(/\D/g, "").padStart(4, "0")}7`);
  return { value, marker: String(value) };
};
