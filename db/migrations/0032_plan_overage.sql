ALTER TABLE "budgets" DROP CONSTRAINT "budgets_scope_known";--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "allows_overage" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_scope_known" CHECK ("budgets"."scope" in ('organization', 'project', 'member', 'key', 'plan'));