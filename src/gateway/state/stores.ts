import type { ObjectStore } from "./objects/store.ts";
import type { ResponseStore } from "./responses/store.ts";

/** Where the gateway keeps what calls refer to later. */
export type Stores = Readonly<{ responses: ResponseStore; objects: ObjectStore }>;

/** What a function needs of them. */
export type UsesStores<Name extends keyof Stores> = Readonly<{ services: Pick<Stores, Name> }>;
