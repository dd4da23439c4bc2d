import { useQuery } from "@tanstack/react-query";
import { tokenPage } from "../../../api/api-keys/api-key.ts";
import { useAddress } from "../../../components/use-address.ts";
import { ApiKeyDrawer } from "./ApiKeyDrawer.tsx";

const MOST_NAMESAKES = 20;

/** The form of the key with a name, such as one whose quota a request exceeded. */
export default function LinkedKey({ name }: Readonly<{ name: string }>) {
  const { set } = useAddress({ keepsPlace: true });
  const { data } = useQuery(tokenPage({ keyword: name, page: 0, pageSize: MOST_NAMESAKES }));
  const token = data?.items.find((one) => one.name === name);
  if (!token) return null;
  return <ApiKeyDrawer token={token} onClose={() => set({ edit: undefined })} onCreated={() => undefined} />;
}
