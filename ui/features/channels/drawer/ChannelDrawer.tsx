import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../../components/ErrorState.tsx";
import { SideDrawer } from "../../../components/SideDrawer.tsx";
import { formOf, NEW_CHANNEL } from "../channel-form.ts";
import { channelById } from "../channel-queries.ts";
import { ChannelFormDrawer } from "./ChannelFormDrawer.tsx";
import { FormSkeleton } from "./FormSkeleton.tsx";

type ChannelDrawerProps = Readonly<{
  /** Null: a new channel. */
  id: number | null;
  onClose: () => void;
}>;

/** Adds a channel, or edits one that is read anew first. */
export const ChannelDrawer = ({ id, onClose }: ChannelDrawerProps) =>
  id === null ? (
    <ChannelFormDrawer stored={null} initial={NEW_CHANNEL} onClose={onClose} />
  ) : (
    <StoredChannelDrawer id={id} onClose={onClose} />
  );

const StoredChannelDrawer = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const stored = useQuery(channelById(id));
  if (stored.data) return <ChannelFormDrawer stored={stored.data} initial={formOf(stored.data)} onClose={onClose} />;
  return (
    <SideDrawer
      title={t("channels.form.editTitle", { name: `#${id}` })}
      footer={(close) => <Button onClick={close}>{t("components.cancel")}</Button>}
      onClose={onClose}
    >
      {stored.isError ? <ErrorState error={stored.error} onRetry={() => stored.refetch()} /> : <FormSkeleton />}
    </SideDrawer>
  );
};
