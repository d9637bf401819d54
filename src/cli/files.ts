export { nodeFiles } from '../drivers/files.ts';
