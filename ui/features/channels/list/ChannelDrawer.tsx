import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { FormSkeleton } from "../cells/FormSkeleton.tsx";
import { channelById } from "../channel-queries.ts";
import { ChannelFormDrawer } from "../drawer/ChannelFormDrawer.tsx";
import { formOf, NEW_CHANNEL } from "../drawer/form/channel-form.ts";
import { QuickChannelDrawer } from "../quick/QuickChannelDrawer.tsx";

type ChannelDrawerProps = Readonly<{
  /** Null: a new channel. */
  id: number | null;
  onClose: () => void;
}>;

/** Creates a channel, from a key alone or (`?all=1`) with all its settings, or edits one after refetching it. */
export const ChannelDrawer = ({ id, onClose }: ChannelDrawerProps) => {
  const address = useAddress();
  if (id !== null) return <StoredChannelDrawer id={id} onClose={onClose} />;
  if (address.text("all") === "")
    return <QuickChannelDrawer onClose={onClose} onAllSettings={() => address.set({ all: 1 })} />;
  return <ChannelFormDrawer stored={null} initial={NEW_CHANNEL} onClose={onClose} />;
};

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
