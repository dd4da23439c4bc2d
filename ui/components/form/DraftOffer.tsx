import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { exactTime } from "../../lib/format/time.ts";
import type { useDraft } from "./use-draft.ts";

/** Offers what was typed before the page was loaded again; renders nothing where there is nothing. */
export const DraftOffer = ({ draft }: { draft: ReturnType<typeof useDraft> }) => {
  const { t, i18n } = useTranslation();
  if (draft.offeredAt === null) return null;
  return (
    <Alert
      severity="info"
      sx={{ mb: 4 }}
      action={
        <>
          <Button size="small" onClick={draft.restore}>
            {t("components.draft.restore")}
          </Button>
          <Button size="small" onClick={draft.forget}>
            {t("components.draft.discard")}
          </Button>
        </>
      }
    >
      {t("components.draft.found", { time: exactTime(draft.offeredAt / 1000, i18n.language) })}
    </Alert>
  );
};
