-- Ten figures from the reporting database, for SQLite and DuckDB. In Metabase, paste one query into a question: it asks for
-- {{organization}} and, where it is used, {{day}} (a date, such as 2026-06-30) or {{position}}. figures.py runs all of them.

-- name: risks_by_priority
SELECT v.label AS priority, count(r.id) AS risks, avg(r.score) AS average_score
FROM enum_values v
LEFT JOIN risks r ON r.priority = v.value AND r.archived_at IS NULL AND r.status <> 'CLOSED' AND r.organization_id = {{organization}}
WHERE v.table_name = 'risks' AND v.column_name = 'priority'
GROUP BY v.label, v.sort_order ORDER BY v.sort_order DESC;

-- name: posture_of_a_day
SELECT d.figure, d.value FROM figures_daily d
WHERE d.organization_id = {{organization}}
  AND d.day = (SELECT max(day) FROM figures_daily WHERE organization_id = {{organization}} AND day <= {{day}})
ORDER BY d.figure;

-- name: trend_of_coverage
SELECT day, value AS coverage FROM figures_daily
WHERE organization_id = {{organization}} AND figure = 'coverage' AND day <= {{day}} ORDER BY day;

-- name: due_until_a_day
SELECT d.what, d.record_id, d.record_name, d.due_date, p.display_name AS owner
FROM due_dates d LEFT JOIN people p ON p.organization_id = d.organization_id AND p.id = d.owner_id
WHERE d.organization_id = {{organization}} AND d.due_date <= {{day}} ORDER BY d.due_date, d.record_id, d.what;

-- name: risks_by_score_and_owner
SELECT r.id, r.name, r.score, p.display_name AS owner
FROM risks r LEFT JOIN people p ON p.organization_id = r.organization_id AND p.id = r.owner_id
WHERE r.organization_id = {{organization}} AND r.archived_at IS NULL ORDER BY r.score DESC, r.id;

-- name: vendors_overdue_for_review
SELECT d.record_id, d.record_name, d.due_date FROM due_dates d
WHERE d.organization_id = {{organization}} AND d.what = 'VENDOR_REVIEW' AND d.due_date < {{day}} ORDER BY d.record_id;

-- name: controls_without_valid_evidence
SELECT c.id, c.section_title, c.name FROM controls c
WHERE c.organization_id = {{organization}} AND c.archived_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM links l JOIN evidence e ON e.id IN (l.record_id, l.other_id)
  WHERE c.id IN (l.record_id, l.other_id) AND l.until_position IS NULL
    AND e.archived_at IS NULL AND (e.valid_until IS NULL OR e.valid_until >= {{day}}))
ORDER BY c.id;

-- name: changes_by_person
SELECT c.actor_id, p.display_name AS person, count(*) AS changes
FROM changes c LEFT JOIN people p ON p.organization_id = c.organization_id AND p.id = c.actor_id
WHERE c.organization_id = {{organization}} GROUP BY c.actor_id, p.display_name ORDER BY changes DESC, c.actor_id;

-- name: rows_changed_since_a_position
SELECT id, implementation, measure_count, changed_position FROM controls
WHERE organization_id = {{organization}} AND changed_position > {{position}} ORDER BY id;

-- name: coverage_by_framework
SELECT f.id, f.name, d.value AS coverage FROM frameworks f
JOIN framework_figures_daily d ON d.framework_id = f.id AND d.figure = 'coverage'
WHERE f.organization_id = {{organization}} AND f.archived_at IS NULL
  AND d.day = (SELECT max(day) FROM framework_figures_daily WHERE framework_id = f.id AND day <= {{day}})
ORDER BY f.id;
