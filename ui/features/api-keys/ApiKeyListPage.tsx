import { ListPage } from "../../components/page/list/ListPage.tsx";
import { API_KEYS } from "./api-key-list.tsx";

/** The user's API keys, and how to use them. */
export const ApiKeyListPage = () => <ListPage list={API_KEYS} />;
