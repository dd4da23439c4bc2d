import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import DoneAll from "@mui/icons-material/DoneAllOutlined";
import Download from "@mui/icons-material/DownloadOutlined";
import Tag from "@mui/icons-material/LocalOfferOutlined";
import Pause from "@mui/icons-material/PauseOutlined";
import Play from "@mui/icons-material/PlayArrowOutlined";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SelectionBar } from "../../components/data-table/SelectionBar.tsx";
import { ExportDialog } from "./ExportDialog.tsx";
import { TagDialog } from "./TagDialog.tsx";
import { useBatch } from "./use-batch.ts";

type BatchBarProps = Readonly<{
  ids: readonly number[];
  /** How many the filters let through; by tag: channels of all tags that they choose. */
  total: number;
  /** By tag: how many tags these are. */
  tags: number | null;
  onSelectAll: () => void;
  onClear: () => void;
}>;

/** What can be done with the ticked channels, and how to tick all that match. */
export const BatchBar = ({ ids, total, tags, onSelectAll, onClear }: BatchBarProps) => {
  const { t } = useTranslation();
  const batch = useBatch(ids, onClear);
  const [isTagging, setTagging] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const count = ids.length;
  const all =
    tags === null
      ? t("channels.batch.selectAll", { total })
      : t("channels.batch.selectTags", {
          tags: t("channels.batch.tags", { count: tags }),
          channels: t("channels.tags.count", { count: total }),
        });
  return (
    <>
      <SelectionBar
        count={count}
        label={t("channels.batch.selected", { count })}
        onClear={onClear}
        actions={[
          ...(count < total ? [{ label: all, icon: <DoneAll />, onSelect: onSelectAll }] : []),
          { label: t("channels.enable"), icon: <Play />, onSelect: batch.enable },
          { label: t("channels.disable"), icon: <Pause />, onSelect: batch.disable },
          { label: t("channels.batch.setTag"), icon: <Tag />, onSelect: () => setTagging(true) },
          { label: t("channels.transfer.export"), icon: <Download />, onSelect: () => setExporting(true) },
          { label: t("channels.batch.delete", { count }), icon: <Delete />, onSelect: batch.remove, isDangerous: true },
        ]}
      />
      {isExporting && <ExportDialog ids={ids} onClose={() => setExporting(false)} />}
      {isTagging && <TagDialog count={count} onSet={batch.setTag} onClose={() => setTagging(false)} />}
    </>
  );
};
