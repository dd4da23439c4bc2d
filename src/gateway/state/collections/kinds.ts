import type { RouteMethod } from "../../request/arrival.ts";
import type { CollectionKind } from "../objects/store.ts";

/** What the API offers for one kind of object. Source: https://developers.openai.com/api/docs/api-reference */
type Collection = Readonly<{
  /** The path after the version. */
  path: string;
  isListed: boolean;
  /** POST to the object changes it. */
  canChange: boolean;
  /** Names and parts below the object, such as a container's files; the object's owner may use all of them. */
  parts: readonly (readonly [method: RouteMethod, path: string])[];
}>;

export const COLLECTIONS: Readonly<Record<CollectionKind, Collection>> = {
  conversation: {
    path: "/conversations",
    isListed: false,
    canChange: true,
    parts: [
      ["GET", "/items"],
      ["POST", "/items"],
      ["GET", "/items/:part"],
      ["DELETE", "/items/:part"],
    ],
  },
  vector_store: {
    path: "/vector_stores",
    isListed: true,
    canChange: true,
    parts: [
      ["GET", "/files"],
      ["POST", "/files"],
      ["GET", "/files/:part"],
      ["POST", "/files/:part"],
      ["DELETE", "/files/:part"],
      ["GET", "/files/:part/content"],
      ["POST", "/file_batches"],
      ["GET", "/file_batches/:part"],
      ["POST", "/file_batches/:part/cancel"],
      ["GET", "/file_batches/:part/files"],
      ["POST", "/search"],
    ],
  },
  container: {
    path: "/containers",
    isListed: true,
    canChange: false,
    parts: [
      ["GET", "/files"],
      ["POST", "/files"],
      ["GET", "/files/:part"],
      ["DELETE", "/files/:part"],
      ["GET", "/files/:part/content"],
    ],
  },
  // Its runs cost something: evals/routes.ts.
  eval: { path: "/evals", isListed: true, canChange: true, parts: [] },
};

export const COLLECTION_KINDS = Object.keys(COLLECTIONS) as readonly CollectionKind[];
