import {
  FieldError,
  type FieldReader,
  fieldsOf,
  flag,
  listOf,
  objectAt,
  oneOf,
  text,
} from "../../lib/field-readers.ts";
import { spliceTopLevel } from "../../lib/values/json/json-splice.ts";
import type { ChannelPreferences, ClientBody } from "../call/endpoint.ts";
import { invalidRequest } from "./client-body.ts";

const MAX_DOLLARS = 1_000_000;

const dollars: FieldReader<number> = (value, field) => {
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof amount === "number" && amount >= 0 && amount <= MAX_DOLLARS) return amount;
  throw new FieldError(field, `a number from 0 to ${MAX_DOLLARS}`);
};

const slugs: FieldReader<readonly string[]> = (value, field) => listOf(text)(value, field).map(slugOf);

const READERS = {
  order: slugs,
  only: slugs,
  ignore: slugs,
  allow_fallbacks: flag,
  sort: oneOf(["price", "throughput", "latency"]),
  max_price: fieldsOf({ prompt: dollars, completion: dollars, request: dollars }),
};

const readKnown = fieldsOf(READERS);

/** A name as preferences write it: lower case, with dashes. */
export const slugOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");

/**
 * The preferences of a request, and the request without them: other upstreams than OpenRouter would reject it. Members that
 * this gateway does not know are left to OpenRouter. Throws GatewayError 400.
 */
export function readPreferences(
  body: ClientBody,
): Readonly<{ body: ClientBody; preferences: ChannelPreferences | null }> {
  const { provider, ...json } = body.json;
  const stripped = { ...body, json, text: spliceTopLevel(body.text, { provider: undefined }, body.json) };
  if (provider === null) return { body: stripped, preferences: null };
  try {
    // Null is the default of every member.
    const members = Object.entries(objectAt(provider, "provider")).filter(([, value]) => value !== null);
    const known = members.filter(([name]) => Object.hasOwn(READERS, name));
    const [other] = members.find(([name]) => !Object.hasOwn(READERS, name)) ?? [];
    const read = readKnown(Object.fromEntries(known), "provider");
    const preferences = {
      order: read.order ?? [],
      only: read.only?.length ? new Set(read.only) : null,
      ignored: new Set(read.ignore),
      allowsFallbacks: read.allow_fallbacks ?? true,
      sort: read.sort ?? null,
      maxPrice: read.max_price ?? {},
      openRouterOnly: other ?? null,
      original: body,
    };
    return { body: stripped, preferences };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const { field, expected } = error;
    throw invalidRequest({ code: "gateway_field_invalid", params: { field, expected } }, field);
  }
}
