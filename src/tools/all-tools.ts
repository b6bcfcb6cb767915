import { importTool } from '../import/import-tool.ts';
import { FAMILY_TOOLS } from './all-family-tools.ts';
import { toolsOf } from './family-tools.ts';
import { REGISTER_TOOLS } from './register-tools.ts';
import { reportTool } from './report-tool.ts';
import type { Tool } from './tool.ts';

/** All tools, in the order in which clients see them. */
export const ALL_TOOLS: readonly Tool[] = [...REGISTER_TOOLS, reportTool, ...FAMILY_TOOLS.flatMap(toolsOf), importTool];
