import { lazy, Suspense } from "react";
import { ListPage } from "../../components/page/list/ListPage.tsx";
import { useAddress } from "../../components/use-address.ts";
import { API_KEYS } from "./api-key-list.tsx";
import { ApplicationsPanel } from "./applications/ApplicationsPanel.tsx";

const LinkedKey = lazy(() => import("./drawer/LinkedKey.tsx"));

/** The user's API keys, how to use them, and applications with access; the address may name one to edit. */
export const ApiKeyListPage = () => {
  const name = useAddress().text("edit");
  return (
    <>
      <ListPage list={API_KEYS} />
      <ApplicationsPanel />
      <Suspense>{name !== "" && <LinkedKey key={name} name={name} />}</Suspense>
    </>
  );
};
