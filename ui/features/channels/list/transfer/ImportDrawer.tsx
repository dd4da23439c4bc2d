import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CHANNELS_KEY } from "../../../../api/channels/channel-lists.ts";
import { StatusChip, type ToneName } from "../../../../components/display/StatusChip.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { SideDrawer } from "../../../../components/feedback/SideDrawer.tsx";
import { Row } from "../../../../components/layout.tsx";
import type { ListContext } from "../../../../components/page/list/list-context.ts";
import {
  type ChannelFile,
  importChannels,
  type PlannedChannel,
  planImport,
  readChannelFile,
} from "./transfer-calls.ts";

/** Reads a file of channels and opens a preview of its import. */
export async function openImport(file: File, { t, open }: Pick<ListContext<unknown>, "t" | "open">) {
  try {
    const content = readChannelFile(await file.text());
    if (!content) throw new Error(t("channels.transfer.noFile"));
    const plans = await planImport(content.channels);
    open((close) => <ImportDrawer file={content} plans={plans} onClose={close} />);
  } catch (error) {
    notifyError(error);
  }
}

type ImportDrawerProps = Readonly<{ file: ChannelFile; plans: readonly PlannedChannel[]; onClose: () => void }>;

const TONES: Readonly<Record<PlannedChannel["action"], ToneName>> = {
  new: "ok",
  changed: "info",
  same: "idle",
  refused: "bad",
};

const isWork = ({ action }: PlannedChannel): boolean => action === "new" || action === "changed";

/** Previews what an import would add and change; deselected channels stay unchanged. */
const ImportDrawer = ({ file, plans, onClose }: ImportDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [left, setLeft] = useState<ReadonlySet<number>>(() => new Set());
  const chosen = plans.flatMap((plan, index) => (isWork(plan) && !left.has(index) ? [index] : []));
  const count = (action: PlannedChannel["action"]) => plans.filter((plan) => plan.action === action).length;
  const save = useMutation({
    mutationFn: () => importChannels(chosen.flatMap((index) => file.channels[index] ?? [])),
    onSuccess: ({ created, changed, refused }) => {
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      if (refused[0])
        notifyError(t("channels.transfer.partly", { name: refused[0].name, message: refused[0].message }));
      else notifyDone(t("channels.transfer.imported", { created, changed }));
      onClose();
    },
    onError: notifyError,
  });
  const toggle = (index: number) => {
    const next = new Set(left);
    if (!next.delete(index)) next.add(index);
    setLeft(next);
  };
  return (
    <SideDrawer
      title={t("channels.transfer.previewTitle")}
      subtitle={t("channels.transfer.summary", {
        fresh: count("new"),
        changed: count("changed"),
        same: count("same"),
        refused: count("refused"),
      })}
      onClose={onClose}
      footer={(close) => (
        <>
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button
            variant="contained"
            color="primary"
            disabled={chosen.length === 0}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t("channels.transfer.apply", { count: chosen.length })}
          </Button>
        </>
      )}
    >
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
        {plans.map((plan, index) => (
          <Box
            component="li"
            // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place in the file
            key={index}
            sx={{ py: 2, borderBottom: "1px solid", borderColor: "line.faint", fontSize: 13 }}
          >
            <Row gap={2}>
              <Checkbox
                checked={isWork(plan) && !left.has(index)}
                disabled={!isWork(plan)}
                onChange={() => toggle(index)}
                slotProps={{ input: { "aria-label": t("components.table.selectRow", { name: plan.name }) } }}
              />
              <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere", fontWeight: 560 }}>{plan.name}</Box>
              <StatusChip tone={TONES[plan.action]}>{t(`channels.transfer.actions.${plan.action}`)}</StatusChip>
            </Row>
            {(plan.action === "changed" || plan.message !== "") && (
              <Box
                className={plan.message === "" ? "mono" : ""}
                sx={{
                  pl: 9,
                  fontSize: 12,
                  overflowWrap: "anywhere",
                  color: plan.message === "" ? "text.tertiary" : "tone.bad.text",
                }}
              >
                {plan.message || plan.fields.join(", ")}
              </Box>
            )}
          </Box>
        ))}
      </Box>
    </SideDrawer>
  );
};
