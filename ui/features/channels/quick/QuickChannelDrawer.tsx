import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import type { AddedChannel } from "./add-channel.ts";
import { QuickChannelForm } from "./QuickChannelForm.tsx";

type QuickChannelDrawerProps = Readonly<{ onClose: () => void; onAllSettings: () => void }>;

/** Adds a channel from a key alone and says how its test went; a channel that failed it is opened. */
export const QuickChannelDrawer = ({ onClose, onAllSettings }: QuickChannelDrawerProps) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const finish = ({ id, name, models, leftOut, outcome }: AddedChannel) => {
    if (leftOut.length > 0) notifyInfo(t("channels.quick.leftOut", { count: leftOut.length }));
    if (outcome.success) {
      notifyDone(t("channels.quick.added", { name, count: models.length, time: formatDuration(outcome.time * 1000) }));
      return onClose();
    }
    notifyError(new Error(t("channels.quick.testFailed", { name, reason: outcome.message })));
    void navigate({ to: "/channel/edit/$id", params: { id: String(id) }, search: {} });
  };
  return (
    <SideDrawer
      title={t("channels.form.createTitle")}
      footer={() => (
        <Box ref={setPlace} sx={{ display: "flex", alignItems: "center", flexWrap: "wrap", gap: 3, flex: 1 }} />
      )}
      onClose={onClose}
    >
      <QuickChannelForm
        onAdded={finish}
        onAllSettings={onAllSettings}
        footer={{ place, cancel: <Button onClick={onClose}>{t("components.cancel")}</Button> }}
      />
    </SideDrawer>
  );
};
