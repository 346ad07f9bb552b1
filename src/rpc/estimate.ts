import { estimateGas } from '../ethereum/evm/call.ts'
