import type { ConsoleEntry } from '../ethereum/evm/watch.ts'
