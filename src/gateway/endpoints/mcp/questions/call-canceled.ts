/** The client has canceled its call. */
export class CallCanceledError extends Error {
  override name = "CallCanceledError";

  /** `wasSent`: the server had the call by then. */
  constructor(readonly wasSent: boolean) {
    super("The client has canceled the call.");
  }
}
