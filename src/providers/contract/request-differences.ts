import type { JsonObject } from "../../formats/json.ts";
import type { CallParams, Preparation } from "./provider.ts";

export type Range = readonly [number, number];
export type LimitField = "max_tokens" | "max_completion_tokens";

/** Where a service differs from OpenAI's chat completions, so that it is not sent what it would reject. */
export type RequestDifferences = Readonly<{
  /** Fields it rejects. */
  rejected?: readonly string[];
  /** All fields it accepts: everything else it rejects. */
  accepted?: ReadonlySet<string>;
  /** Allowed range; values outside are clamped. */
  temperature?: Range;
  topP?: Range;
  /** The field that limits the length of the response. */
  limitField?: LimitField;
  /** The service's name for each renamed OpenAI field. */
  renamed?: Readonly<Record<string, string>>;
  /** Anything else: gets the body with the changes so far, returns further changes. */
  rewrite?(body: JsonObject, params: CallParams): JsonObject;
  /** Fields that `rewrite` removes because it expresses them otherwise: they don't count as dropped. */
  expressed?(body: JsonObject, params: CallParams): readonly string[];
  /** Names of what `rewrite` expresses only in part, which counts as dropped. */
  weakened?(body: JsonObject): readonly string[];
  /** How it searches the web when `web_search_options` request that. */
  search?: Readonly<{
    fields(body: JsonObject, params: CallParams): JsonObject;
    /** Members of `web_search_options` that it understands. */
    supports: readonly string[];
    /** Further ways to request a search. */
    isRequestedBy?(body: JsonObject, model: string): boolean;
    /** The price list's name of the search, where responses don't report the number of searches. */
    pricedAs?(body: JsonObject): string;
  }>;
  /** Changes to a request for embeddings; `dropped` are fields removed without being expressed otherwise. */
  embeddings?(body: JsonObject): Readonly<{ changes: JsonObject; dropped?: readonly string[] }>;
  /** Changes to a request of OpenAI's Responses API. */
  responses?(body: JsonObject, params: CallParams): Preparation | null;
}>;
