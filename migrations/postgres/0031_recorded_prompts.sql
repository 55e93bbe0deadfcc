-- Requests whose prompt is recorded: retention finds them by it, however many steps there are.
CREATE INDEX run_steps_recorded ON run_steps (run_id) WHERE status = 'recorded';
-- Runs by what they wait for, whatever their status.
CREATE INDEX runs_by_wake_reason ON runs (wake_reason, id) WHERE wake_reason IS NOT NULL;
