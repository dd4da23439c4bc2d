/**
 * A request of our own server that is no call of the management API: streams, and documents. Resolves with whatever it
 * answers; rejects where the server cannot be reached.
 */
export const fetchPlain = (path: `/${string}`, init?: RequestInit): Promise<Response> => fetch(path, init);
