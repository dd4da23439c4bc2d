import { AsyncLocalStorage } from "node:async_hooks";

/** Where a request of the management API came from, for what is logged of it. */
export type RequestOrigin = Readonly<{
  /** The client's address; empty if the connection is unknown. */
  ip: string;
  requestId: string;
}>;

const origins = new AsyncLocalStorage<RequestOrigin>();

/** Does `work`, and all that it awaits, for a request that came from there. */
export const withOrigin = <Result>(origin: RequestOrigin, work: () => Result): Result => origins.run(origin, work);

/** Where the request that is being answered came from; null for jobs and commands. */
export const requestOrigin = (): RequestOrigin | null => origins.getStore() ?? null;
