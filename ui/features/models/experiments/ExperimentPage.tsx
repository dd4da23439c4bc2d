import Science from "@mui/icons-material/ScienceOutlined";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Col, PageHeader } from "../../../components/layout.tsx";
import { deleteResults, experiments } from "../routes/experiment-form.ts";
import { ExperimentPanel } from "./ExperimentPanel.tsx";

/** New models and channels that routes try, compared with those in use. */
export const ExperimentPage = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const confirm = useConfirm();
  const { data, error, isPending, refetch } = useQuery(experiments);
  const openRoutes = () => void navigate({ to: "/routes" });
  const remove = async (route: string) => {
    const question = {
      title: t("experiments.deleteTitle", { name: route }),
      body: t("experiments.deleteBody"),
      action: t("experiments.delete"),
      isDangerous: true,
    };
    if (!(await confirm(question))) return;
    try {
      await deleteResults(route);
      notifyDone(t("experiments.deletedToast"));
    } catch (failure) {
      notifyError(failure);
    }
    void client.invalidateQueries(experiments);
  };
  return (
    <>
      <PageHeader title={t("experiments.title")} purpose={t("experiments.purpose")} />
      {isPending && <Skeleton variant="rounded" height={240} />}
      {error && <ErrorState error={error} onRetry={() => refetch()} />}
      {data?.length === 0 && (
        <EmptyState
          icon={<Science />}
          title={t("experiments.empty.title")}
          body={t("experiments.empty.body")}
          action={<Button onClick={openRoutes}>{t("experiments.empty.action")}</Button>}
        />
      )}
      <Col gap={4}>
        {data?.map((experiment) => (
          <ExperimentPanel
            key={experiment.route}
            experiment={experiment}
            onDelete={() => void remove(experiment.route)}
          />
        ))}
      </Col>
    </>
  );
};
