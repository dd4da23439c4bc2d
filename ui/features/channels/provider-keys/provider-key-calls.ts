import { queryOptions } from "@tanstack/react-query";
import type { ProviderKeyOffer, ProviderKeyView } from "../../../../src/domain/channels/provider-keys/save-key.ts";
import { readData } from "../../../api/client.ts";
import { providerKeyApi } from "../../../api/groups.ts";
import { readOrganization } from "../../../state/organization.ts";

export type { ProviderKeyOffer, ProviderKeyView };

/** The keys of the account that the user acts for. */
export const providerKeys = () =>
  queryOptions({
    queryKey: ["provider-keys", readOrganization()],
    queryFn: ({ signal }): Promise<readonly ProviderKeyView[]> => readData(providerKeyApi.get({ fetch: { signal } })),
  });

/** What the site allows the account. */
export const providerKeyOffer = () =>
  queryOptions({
    queryKey: ["provider-key-offer", readOrganization()],
    queryFn: ({ signal }): Promise<ProviderKeyOffer> => readData(providerKeyApi.offer.get({ fetch: { signal } })),
  });

/** A key as the form has it; `key` empty: the stored one. */
export type SavedKey = Readonly<{
  name: string;
  provider: string;
  key: string;
  models: readonly string[];
  mode: ProviderKeyView["mode"];
  enabled: boolean;
}>;

const bodyOf = ({ key, models, ...rest }: SavedKey) => ({ ...rest, models: [...models], ...(key && { key }) });

export const createKey = (key: SavedKey) => readData(providerKeyApi.post(bodyOf(key)));

export const updateKey = (id: number, key: SavedKey) => readData(providerKeyApi({ id }).put(bodyOf(key)));

export const deleteKey = (id: number) => readData(providerKeyApi({ id }).delete());

/** Asks the provider for the models of a key. */
export const testKey = (id: number) => readData(providerKeyApi({ id }).test.post());
