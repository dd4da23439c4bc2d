/** Shows the page "offline" where the network does not deliver one; everything else is the browser's. */

/** The parts of the Service Workers API (w3.org/TR/service-workers) used here: its types clash with those of pages. */
type Worker = Readonly<{
  skipWaiting: () => Promise<void>;
  clients: Readonly<{ claim: () => Promise<void> }>;
  registration: Readonly<{ navigationPreload?: Readonly<{ enable: () => Promise<void> }> }>;
  addEventListener: (
    type: "install" | "activate" | "fetch",
    listener: (event: WorkerEvent & FetchEvent) => void,
  ) => void;
}>;
type WorkerEvent = Readonly<{ waitUntil: (done: Promise<unknown>) => void }>;
type FetchEvent = Readonly<{
  request: Request;
  preloadResponse: Promise<Response | undefined>;
  respondWith: (response: Promise<Response>) => void;
}>;

declare const self: Worker;

self.addEventListener("install", (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener("activate", (event) =>
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable()])),
);
self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(navigate(event));
});

async function navigate({ request, preloadResponse }: FetchEvent): Promise<Response> {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return (await caches.match("/offline")) ?? Response.error();
  }
}

export {};
