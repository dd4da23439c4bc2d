import { type ChangeEvent, type RefObject, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/notify.tsx";
import { ImportDrawer } from "./ImportDrawer.tsx";
import { type ChannelFile, type PlannedChannel, planImport, readChannelFile } from "./transfer-calls.ts";

/** Chooses a file of channels (click the input from elsewhere) and shows what importing it would do. */
export const ImportFile = ({ input }: { input: RefObject<HTMLInputElement | null> }) => {
  const { t } = useTranslation();
  const [open, setOpen] = useState<{ file: ChannelFile; plans: PlannedChannel[] } | null>(null);
  const look = async (given: File | undefined) => {
    if (!given) return;
    const file = readChannelFile(await given.text());
    if (!file) {
      notifyError(t("channels.transfer.noFile"));
      return;
    }
    try {
      setOpen({ file, plans: await planImport(file.channels) });
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={t("channels.transfer.import")}
        onChange={(event: ChangeEvent<HTMLInputElement>) => {
          void look(event.target.files?.[0]);
          // The same file can be chosen again.
          event.target.value = "";
        }}
      />
      {open && <ImportDrawer {...open} onClose={() => setOpen(null)} />}
    </>
  );
};
