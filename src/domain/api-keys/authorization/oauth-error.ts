type OAuthErrorCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A refusal by the names of RFC 6749 (5.2), RFC 7591 (3.2.2) and RFC 8707 (2), with a description in English as they demand. */
export class OAuthError extends Error {
  override name = "OAuthError";

  constructor(
    readonly error: OAuthErrorCode,
    readonly description: string,
  ) {
    super(description);
  }
}
