import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Row } from "../../../components/layout.tsx";
import { type Code, codeUses } from "./code.ts";

/** Who used a code, and when. */
export const CodeUsesDialog = ({ code, onClose }: { code: Code; onClose: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const uses = useQuery(codeUses(code.id));
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {t("codes.uses.title", { name: code.name })}
      </DialogTitle>
      <DialogContent>
        {uses.isPending && <Skeleton variant="rounded" height={120} />}
        {uses.error && <ErrorState error={uses.error} onRetry={() => uses.refetch()} />}
        {uses.data?.total === 0 && <Box sx={{ color: "text.secondary", fontSize: 13 }}>{t("codes.uses.none")}</Box>}
        {uses.data?.items.map((use) => (
          <Row
            key={use.user_id}
            gap={4}
            sx={{ py: 2, fontSize: 13, "& + &": { borderTop: "1px solid", borderColor: "line.faint" } }}
          >
            <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
              {use.username} (#{use.user_id})
            </Box>
            <Money quota={use.quota} />
            <TimeAgo seconds={use.used_time} />
          </Row>
        ))}
        {uses.data && uses.data.total > uses.data.items.length && (
          <Box sx={{ mt: 3, fontSize: 12, color: "text.tertiary" }}>
            {t("codes.uses.more", { shown: uses.data.items.length, total: uses.data.total })}
          </Box>
        )}
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};
