#!/usr/bin/env node
// The `veritrail` command. The sources are TypeScript; tsx reads them as they are.
import { register } from 'tsx/esm/api';

register({ tsconfig: false });
await import('../src/cli/main.ts');
