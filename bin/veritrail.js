#!/usr/bin/env node
// The `veritrail` command.
import { runProgram } from './program.js';

await runProgram('cli');
