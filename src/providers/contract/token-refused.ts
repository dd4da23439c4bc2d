/** The service did not exchange a channel's key for an access token; the message is what it said. */
export class TokenRefused extends Error {
  override name = "TokenRefused";
  /** 401 where the service refuses the key; its own status, or 502, where the fault is its. */
  readonly status: number;

  /** `answered`: its HTTP status; `reason`: null if it gave none. */
  constructor(answered: number, reason: string | null) {
    super(reason ?? `no access token (HTTP ${answered})`);
    const isFault = answered >= 500 || answered === 429;
    this.status = isFault ? answered : answered >= 400 || reason !== null ? 401 : 502;
  }
}
