import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Count, Money } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { userFacts } from "../log-queries.ts";

/** Balance, use and number of requests of a user, for administrators. */
export const UserDialog = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  const { data: user, error, refetch } = useQuery(userFacts(id));
  const wait = <Skeleton variant="rounded" width={96} height={14} sx={{ my: "3px" }} />;
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} fullWidth maxWidth="xs">
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620 }}>
        {t("logs.user.title", { name: user?.username ?? `#${id}` })}
      </DialogTitle>
      <DialogContent>
        {error ? (
          <ErrorState error={error} onRetry={() => refetch()} />
        ) : (
          <KeyValue
            items={[
              [t("logs.user.balance"), user ? <Money key="balance" quota={user.quota} decimals={6} /> : wait],
              [t("logs.user.used"), user ? <Money key="used" quota={user.used_quota} decimals={6} /> : wait],
              [t("logs.user.requests"), user ? <Count key="requests" value={user.request_count} /> : wait],
            ]}
          />
        )}
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};
