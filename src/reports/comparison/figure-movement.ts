import { familyQueryOfType } from '../../queries/family-query.ts';
import { countFigure } from '../figures/figure-values.ts';
import type { FigurePart, SummedFigure } from '../figures/home-figures.ts';
import { recordTypesOf } from '../sections/changes-section.ts';
import { COMPARED_FIGURES } from './compared-figures.ts';
import { type ComparedMoments, type MovedRecords, movedRecords } from './moved-records.ts';

/** A part of a figure at two moments, and the records that moved it. */
export interface PartMovement {
  part: FigurePart;
  before: number;
  after: number;
  moved: MovedRecords;
}

/**
 * A figure at two moments: `after` is `before`, plus the added and entered records of its parts, minus those that left and
 * archived ones. A restored record counts as added.
 */
export interface FigureMovement {
  figure: SummedFigure;
  before: number;
  after: number;
  parts: readonly PartMovement[];
}

/** Returns each compared figure with the records that moved it. Parts of other families than the compared ones are left out. */
export async function figureMovements(moments: ComparedMoments): Promise<FigureMovement[]> {
  const types = recordTypesOf(moments.after);
  const movements: FigureMovement[] = [];
  for (const figure of COMPARED_FIGURES) {
    const parts: PartMovement[] = [];
    for (const part of figure.parts) {
      if (types === undefined || types.includes(part.type)) parts.push(await partMovement(moments, part));
    }
    if (parts.length === 0) continue;
    const before = parts.reduce((sum, part) => sum + part.before, 0);
    const after = parts.reduce((sum, part) => sum + part.after, 0);
    movements.push({ figure, before, after, parts });
  }
  return movements;
}

async function partMovement(moments: ComparedMoments, part: FigurePart): Promise<PartMovement> {
  const family = familyQueryOfType(part.type);
  const before = await countFigure(moments.before, family, part.definition);
  const after = await countFigure(moments.after, family, part.definition);
  return { part, before, after, moved: await movedRecords(moments, part, { before, after }) };
}
