// Makes the component of this module: node build.mjs [OUTPUT] [WIT FOLDER]

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { componentize } from '@bytecodealliance/componentize-js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [output = here('vouchers.wasm'), wit = here('../../../wit/platform')] = process.argv.slice(2);

const { component } = await componentize({
  sourcePath: here('src/module.js'),
  witPath: wit,
  worldName: 'commerce:platform/guest',
  // Without these five the component imports `commerce:*` alone, which is all that a host links.
  disableFeatures: ['random', 'stdio', 'clocks', 'http', 'fetch-event'],
});
await writeFile(output, component);
console.log(`${output}: ${component.length} bytes`);
