// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {VestingWallet} from "@openzeppelin/contracts/finance/VestingWallet.sol";
import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorSettings} from "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import {UpgradeableBeacon} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import {ProxyAdmin} from "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol";
import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";

contract Owned is Ownable2Step {
    uint256 public value;

    constructor(address owner) Ownable(owner) {}

    function set(uint256 next) external onlyOwner {
        value = next;
    }
}

contract Controlled is AccessControl {
    bytes32 public constant WRITER = keccak256("WRITER");
    uint256 public value;

    constructor() {
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
    }

    function set(uint256 next) external onlyRole(WRITER) {
        value = next;
    }

    function setRoleAdmin(bytes32 role, bytes32 admin) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setRoleAdmin(role, admin);
    }
}

contract Council is Governor, GovernorSettings, GovernorCountingSimple, GovernorVotes {
    constructor(IVotes token) Governor("Council") GovernorSettings(1, 10, 0) GovernorVotes(token) {}

    function quorum(uint256) public pure override returns (uint256) {
        return 100;
    }

    function votingDelay() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.votingDelay();
    }

    function votingPeriod() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.votingPeriod();
    }

    function proposalThreshold() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.proposalThreshold();
    }
}

contract Timelock is TimelockController {
    constructor(uint256 delay, address[] memory proposers, address[] memory executors, address admin)
        TimelockController(delay, proposers, executors, admin)
    {}
}

contract Vesting is VestingWallet {
    constructor(address to, uint64 start, uint64 duration) payable VestingWallet(to, start, duration) {}
}

contract Counter is Initializable {
    uint256 public count;

    event Increased(uint256 count);

    function initialize(uint256 start) external initializer {
        count = start;
    }

    function increase() external payable virtual {
        emit Increased(++count);
    }

    function version() external pure virtual returns (string memory) {
        return "V1";
    }
}

contract CounterV2 is Counter {
    function increase() external payable override {
        count += 10;
        emit Increased(count);
    }

    function version() external pure override returns (string memory) {
        return "V2";
    }
}
