import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Organization } from "../../../../api/accounts/organization-calls.ts";
import {
  createProject,
  deleteProject,
  type Project,
  projects,
  renameProject,
} from "../../../../api/accounts/spending-calls.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { Money } from "../../../../components/display/Money.tsx";
import { useConfirm } from "../../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../../components/inputs/use-checked-form.ts";
import { Field, Panel, Row } from "../../../../components/layout.tsx";
import { Entry } from "../../security/Entry.tsx";

/** The projects that group the organization's keys. */
export const ProjectsPanel = ({ organization: { id } }: { organization: Organization }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const { may } = useActing();
  const { data, error, refetch } = useQuery(projects(id));
  /** Null: a new one. */
  const [edited, setEdited] = useState<Project | null | undefined>(undefined);
  const isManager = may("projects.manage");
  const remove = async (project: Project) => {
    const isSure = await confirm({
      title: t("organizations.projects.deleteTitle", { name: project.name }),
      body: t("organizations.projects.deleteBody"),
      action: t("organizations.projects.delete"),
      isDangerous: true,
    });
    if (!isSure) return;
    try {
      await deleteProject(id, project.id);
      notifyDone(t("organizations.projects.deleted", { name: project.name }));
    } catch (failure) {
      notifyError(failure);
    }
    await client.invalidateQueries({ queryKey: ["organization", id] });
  };
  return (
    <Panel
      title={t("organizations.projects.title")}
      action={
        isManager && (
          <Button size="small" onClick={() => setEdited(null)}>
            {t("organizations.projects.create")}
          </Button>
        )
      }
    >
      <Box sx={{ mb: 3, fontSize: 12, color: "text.tertiary" }}>{t("organizations.projects.hint")}</Box>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={40} />}
      {data?.length === 0 && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("organizations.projects.none")}</Box>
      )}
      {data?.map((project) => (
        <Entry
          key={project.id}
          title={project.name}
          action={
            isManager && (
              <Row gap={2}>
                <Button size="small" onClick={() => setEdited(project)}>
                  {t("organizations.projects.rename")}
                </Button>
                <Button size="small" color="error" onClick={() => void remove(project)}>
                  {t("organizations.projects.delete")}
                </Button>
              </Row>
            )
          }
        >
          {t("organizations.projects.keys", { count: project.keys })} · {t("organizations.projects.used")}{" "}
          <Money quota={project.used_quota} />
        </Entry>
      ))}
      {edited !== undefined && <ProjectDialog id={id} project={edited} onClose={() => setEdited(undefined)} />}
    </Panel>
  );
};

type DialogProps = { id: number; project: Project | null; onClose: () => void };

const ProjectDialog = ({ id, project, onClose }: DialogProps) => {
  const { t } = useTranslation();
  const field = useId();
  const client = useQueryClient();
  const { form, change, problem, isSaving, submit } = useCheckedForm({
    initial: { name: project?.name ?? "" },
    rejection: "inline",
    send: async ({ name }) => {
      await (project ? renameProject(id, project.id, name) : createProject(id, name));
      await client.invalidateQueries({ queryKey: ["organization", id] });
      notifyDone(t("organizations.projects.saved", { name: name.trim() }));
      onClose();
    },
  });
  return (
    <FormDialog
      title={project ? t("organizations.projects.renameTitle") : t("organizations.projects.create")}
      action={t(project ? "organizations.projects.save" : "organizations.projects.create")}
      isBusy={isSaving}
      isDisabled={form.name.trim() === ""}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={t("organizations.name")} htmlFor={field} error={problem}>
        <OutlinedInput
          id={field}
          fullWidth
          autoFocus
          autoComplete="off"
          value={form.name}
          error={problem !== null}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
    </FormDialog>
  );
};
