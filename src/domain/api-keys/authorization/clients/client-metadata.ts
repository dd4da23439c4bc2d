import { type JsonObject, recordOf, textOf, textsOf } from "../../../../formats/json.ts";
import { OAuthError } from "../oauth-error.ts";
import { redirectUriError } from "./redirect-uris.ts";

/** How a client authenticates at the token endpoint. */
export type AuthMethod = "none" | "client_secret_basic" | "client_secret_post";

export const AUTH_METHODS: readonly AuthMethod[] = ["none", "client_secret_basic", "client_secret_post"];
export const GRANT_TYPES: readonly string[] = ["authorization_code", "refresh_token"];

/** What a client says of itself, as far as it is used. */
export type ClientMetadata = Readonly<{ name: string; redirectUris: readonly string[]; authMethod: AuthMethod }>;

const MOST_REDIRECT_URIS = 10;
const LONGEST_NAME = 100;
const UNNAMED = "MCP client";

/**
 * Reads the metadata of a client (RFC 7591, 2). `assumedMethod`: how it authenticates unless it says so. Throws OAuthError
 * invalid_client_metadata or invalid_redirect_uri.
 */
export function readClientMetadata(input: unknown, assumedMethod: AuthMethod): ClientMetadata {
  const metadata = recordOf(input);
  if (!metadata) throw invalid("The metadata must be a JSON object.");
  const { redirect_uris: uris, token_endpoint_auth_method: method = assumedMethod } = metadata;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MOST_REDIRECT_URIS)
    throw new OAuthError("invalid_redirect_uri", `redirect_uris must have 1 to ${MOST_REDIRECT_URIS} URIs.`);
  const redirectUris = textsOf(uris);
  const problem = redirectUris.length < uris.length ? "A redirect URI must be a text." : firstProblem(redirectUris);
  if (problem) throw new OAuthError("invalid_redirect_uri", problem);
  const authMethod = AUTH_METHODS.find((known) => known === method);
  if (!authMethod) throw invalid(`token_endpoint_auth_method must be one of ${AUTH_METHODS.join(", ")}.`);
  requireNamed(metadata, "grant_types", "authorization_code");
  requireNamed(metadata, "response_types", "code");
  return { name: readName(metadata), redirectUris, authMethod };
}

const invalid = (description: string) => new OAuthError("invalid_client_metadata", description);

function firstProblem(uris: readonly string[]): string | null {
  for (const uri of uris) {
    const problem = redirectUriError(uri);
    if (problem) return problem;
  }
  return null;
}

/** A list that a client may leave out must have the one value that counts here. */
function requireNamed(metadata: JsonObject, field: string, value: string): void {
  const list = metadata[field];
  if (list !== undefined && !(Array.isArray(list) && list.includes(value)))
    throw invalid(`${field} must include ${value}.`);
}

/** Without characters that could change how the sentence around it reads. */
function readName(metadata: JsonObject): string {
  const name = (textOf(metadata.client_name) ?? "").replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return [...name].slice(0, LONGEST_NAME).join("") || UNNAMED;
}
