import type { JsonObject } from "../../../../formats/json.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import type { GuardrailPhase, GuardrailService } from "../../../../settings/option/guardrails.ts";

/** What a service is consulted about. */
export type ServiceQuestion = Readonly<{
  guardrail: string;
  phase: GuardrailPhase;
  model: string;
  requestId: string;
  texts: readonly string[];
}>;

/** A place in one of the texts that the service names. */
export type ServiceSpan = Readonly<{ text: number; start: number; end: number; type: string }>;

/** What a service says. */
export type ServiceVerdict = Readonly<{
  /** What it found and how often; empty: nothing. */
  found: Readonly<Record<string, number>>;
  /** The texts as they may pass; absent: it changed none. */
  texts?: readonly string[];
  /** What to mask in them; absent: it names no places. */
  spans?: readonly ServiceSpan[];
}>;

/** One request to a service. */
export type ServiceRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: JsonObject }>;

/** A service, described: how it is consulted and what its answer means. */
export type ServiceType = Readonly<{
  /** Its requests are signed by Standard Webhooks with its key. */
  isSigned?: true;
  /** It takes one text at a time. */
  isSingle?: true;
  /** The key that its requests carry, where it is not the stored one. Rejects if it cannot be had. */
  signIn?(key: string, fetch: SafeFetch, timeoutMs: number): Promise<string>;
  request(service: GuardrailService, question: ServiceQuestion, key: string): ServiceRequest;
  /** Null: it is no answer of this service. */
  read(answer: JsonObject | null, list: readonly unknown[] | null, service: GuardrailService): ServiceVerdict | null;
}>;

/** A header with the key; none without one. */
export const withKey = (header: string, key: string): Readonly<Record<string, string>> =>
  key === "" ? {} : Object.fromEntries([[header, key]]);

/** The key as a bearer token. */
export const bearer = (key: string): Readonly<Record<string, string>> =>
  withKey("authorization", key && `Bearer ${key}`);

/** One thing that was found. */
export const once = (name: string): Readonly<Record<string, number>> => ({ [nameOf(name)]: 1 });

/** What something is called in the log: the services' own word, in capitals. */
export const nameOf = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 20) || "FOUND";

/** It found nothing. */
export const NOTHING = { found: {} };

/** The value as a list of texts; null: it is none. */
export const textsOf = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((text) => typeof text === "string") ? value : null;
