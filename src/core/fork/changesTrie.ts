import type { StateSource } from '../../ethereum/state/account.ts'
