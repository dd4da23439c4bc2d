import Hub from "@mui/icons-material/HubOutlined";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../components/EmptyState.tsx";
import type { Address } from "../../components/useAddress.ts";
import { isFiltered } from "./channel-address.ts";
import type { ChannelQuery } from "./channel-queries.ts";

type ChannelsEmptyProps = Readonly<{ query: ChannelQuery; address: Address; onAdd: () => void }>;

/** Instead of rows: nothing matches, nothing has a tag, or there is nothing yet. */
export const ChannelsEmpty = ({ query, address, onAdd }: ChannelsEmptyProps) => {
  const { t } = useTranslation();
  if (isFiltered(query)) {
    return (
      <EmptyState
        icon={<Hub />}
        title={t("channels.empty.filteredTitle")}
        body={t("channels.empty.filteredBody")}
        action={<Button onClick={address.clear}>{t("components.filter.clear")}</Button>}
      />
    );
  }
  if (query.byTag) {
    return <EmptyState icon={<Hub />} title={t("channels.tags.none")} body={t("channels.tags.noneBody")} />;
  }
  return (
    <EmptyState
      icon={<Hub />}
      title={t("channels.empty.title")}
      body={t("channels.empty.body")}
      action={
        <Button variant="contained" color="primary" onClick={onAdd}>
          {t("channels.add")}
        </Button>
      }
    />
  );
};
